import { describe, expect, it } from '@jest/globals';
import { languageDetector } from './language-detector.js';
import { otherLanguage } from '../planner/gates/language.js';

describe('the language of a real description', () => {
  const texts: Record<string, string> = {
    en: 'This elegant bottle keeps your drinks cold for a whole day and is made of stainless steel. It fits any bag.',
    de: 'Diese elegante Flasche hält Getränke einen ganzen Tag lang kalt und besteht aus Edelstahl. Sie passt in jede Tasche.',
    fr: 'Cette bouteille élégante garde vos boissons au frais pendant toute une journée. Elle est en acier inoxydable.',
    es: 'Esta elegante botella mantiene las bebidas frías durante todo el día y está hecha de acero inoxidable.',
    nl: 'Deze elegante fles houdt drankjes een hele dag koud en is gemaakt van roestvrij staal. Ze past in elke tas.',
    da: 'Denne elegante flaske holder drikkevarer kolde hele dagen og er lavet af rustfrit stål. Den passer i enhver taske.',
    ar: 'هذه الزجاجة تحافظ على برودة المشروبات طوال اليوم وهي مصنوعة من الفولاذ المقاوم للصدأ وتناسب أي حقيبة تحملها معك.',
    et: 'See pudel hoiab teie joogid terve päeva külmana ja on valmistatud roostevabast terasest. See mahub igasse kotti.',
    fa: 'این بطری نوشیدنی‌های شما را تمام روز خنک نگه می‌دارد و از فولاد ضد زنگ ساخته شده است و در هر کیفی جا می‌شود.',
    lv: 'Šī pudele visu dienu uztur jūsu dzērienus aukstus un ir izgatavota no nerūsējošā tērauda. Tā ietilpst jebkurā somā.',
    sq: 'Kjo shishe i mban pijet tuaja të ftohta gjatë gjithë ditës dhe është prej çeliku inox. Futet në çdo çantë.',
    sw: 'Chupa hii huweka vinywaji vyako baridi siku nzima na imetengenezwa kwa chuma cha pua. Inaingia kwenye mfuko wowote.',
    uz: 'Bu shisha ichimliklaringizni kun boʻyi sovuq saqlaydi va zanglamaydigan poʻlatdan yasalgan. Har qanday sumkaga sigʻadi.',
    zh: '这款保温瓶采用优质不锈钢制成，可以让您的饮料整天保持冰凉，适合放入任何包中，外出旅行或上班都非常方便。',
    ja: 'このエレガントなボトルは一日中飲み物を冷たく保ちます。ステンレス製で、どんなバッグにも入ります。とても軽くて丈夫な製品です。毎日の通勤や旅行にも最適です。ぜひお試しください。',
  };

  it.each(Object.keys(texts))('in %s is known, and is not taken for another one', async (language) => {
    const detect = await languageDetector();
    expect(otherLanguage(texts[language] ?? '', language, detect)).toBeNull();
    for (const other of Object.keys(texts).filter((code) => code !== language))
      expect([other, otherLanguage(texts[language] ?? '', other, detect)]).not.toEqual([other, null]);
  });

  it.each([
    [
      'is',
      'Þessi flaska heldur drykkjunum þínum köldum allan daginn og er úr ryðfríu stáli. Hún passar í hvaða tösku sem er.',
    ],
    [
      'ga',
      'Coinníonn an buidéal seo do dheochanna fuar ar feadh an lae agus tá sé déanta as cruach dhosmálta.',
    ],
    [
      'mt',
      'Dan il-flixkun iżomm ix-xorb tiegħek kiesaħ il-ġurnata kollha u huwa magħmul mill-istainless steel.',
    ],
    [
      'ms',
      'Botol ini mengekalkan minuman anda sejuk sepanjang hari dan diperbuat daripada keluli tahan karat dan ringan.',
    ],
    [
      'hr',
      'Ova boca održava vaša pića hladnima cijeli dan i izrađena je od nehrđajućeg čelika. Stane u svaku torbu.',
    ],
  ])(
    'in %s, which the detector does not know, or confuses with others, does not hold the text back',
    async (language, text) => {
      expect(otherLanguage(text, language, await languageDetector())).toBeNull();
    },
  );

  it('in English is another language for a shop whose language the detector does not know', async () => {
    const found = otherLanguage(texts['en'] ?? '', 'is', await languageDetector());
    expect(found?.language).toBe('en');
  });
});

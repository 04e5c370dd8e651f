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

  it.each(
    Object.entries({
      is: 'Þessi flaska heldur drykkjunum þínum köldum allan daginn og er úr ryðfríu stáli. Hún passar í hvaða tösku sem er.',
      ga: 'Coinníonn an buidéal seo do dheochanna fuar ar feadh an lae agus tá sé déanta as cruach dhosmálta.',
      mt: 'Dan il-flixkun iżomm ix-xorb tiegħek kiesaħ il-ġurnata kollha u huwa magħmul mill-istainless steel.',
      ms: 'Botol ini mengekalkan minuman anda sejuk sepanjang hari dan diperbuat daripada keluli tahan karat dan ringan.',
      hr: 'Ova boca održava vaša pića hladnima cijeli dan i izrađena je od nehrđajućeg čelika. Stane u svaku torbu.',
    }),
  )(
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

const ENGLISH = [
  'Our new lamp brings warm light into every room, and its shade is made from linen that was woven in a small mill.',
  'You can dim it in four steps with a touch on its base, which is turned from solid walnut by hand.',
  'Because each base is cut from a different tree, the grain of your lamp will differ from the pictures.',
  'Customers tell us they use it while reading late at night, or on a desk where there is little space.',
  'If something breaks within five years, send us a photograph and we will replace the part without questions.',
  'Choose between natural, grey, black and forest green; other colours are available upon request.',
];
const GERMAN = [
  'Unsere neue Lampe bringt warmes Licht in jeden Raum, und ihr Schirm besteht aus Leinen aus einer kleinen Weberei.',
  'Mit einer Berührung des Fußes, der aus massivem Nussbaum gedreht ist, dimmen Sie sie in vier Stufen.',
  'Weil jeder Fuß aus einem anderen Baum geschnitten wird, weicht die Maserung von den Bildern ab.',
  'Viele unserer Kunden nutzen sie abends beim Lesen oder auf einem Schreibtisch, der wenig Platz bietet.',
  'Falls innerhalb von fünf Jahren etwas bricht, schicken Sie uns ein Foto, und wir ersetzen das Teil ohne Rückfragen.',
  'Wählen Sie zwischen Natur, Grau, Schwarz und Waldgrün; andere Farben sind auf Anfrage erhältlich.',
];
const CHINESE =
  '这款 Premium Bluetooth Soundbar 音响适合家庭影院，支持 Dolby Atmos 和 HDMI 连接，音质清晰，安装方便。';

it.each<[string, string, string, string | null]>([
  ['that repeats one sentence is that of the sentence', 'de', `${ENGLISH[0] ?? ''} `.repeat(30), 'en'],
  ['that is so long that only its beginning is read is found', 'de', ENGLISH.join('\n').repeat(200), 'en'],
  [
    'whose second half is in another language is named, of that part',
    'de',
    [...GERMAN.slice(0, 3), ...ENGLISH.slice(0, 3)].join('\n'),
    'a part: en',
  ],
  ['whose first third is in another', 'de', [...ENGLISH.slice(0, 3), ...GERMAN].join('\n'), 'a part: en'],
  [
    'that names a product in another language is the locale’s',
    'de',
    `${GERMAN.join('\n')} Die „Warm Light Walnut Desk Lamp 2000“ ist Teil der Serie „Slow Living at Home“.`,
    null,
  ],
  [
    'that holds many numbers, sizes and model names is the locale’s',
    'de',
    GERMAN.map((line, index) => `${line} SL-${String(index)}00X, 12 x 34 cm, 230 V, IP44, USB-C 3.1`).join(
      '\n',
    ),
    null,
  ],
  [
    'that is a list of facts is not judged',
    'de',
    'Premium LED, USB-C 3.1, 230 V, 25 W, IP44, 12 x 34 x 56 cm, 1.5 kg, SL-200X, E27, 2700 K, CE, RoHS, Bluetooth 5.3',
    null,
  ],
  ['in Chinese with more Latin letters than Chinese ones is Chinese', 'zh', CHINESE.repeat(2), null],
  [
    'in Chinese is not the language of a shop in German, whatever names it has',
    'de',
    `${CHINESE}这款产品采用优质材料制成，外观简洁大方，操作方便，音质清晰，是送给家人和朋友的理想礼物。`,
    'zh',
  ],
  [
    'in Russian is that of the shop where it has Latin names',
    'ru',
    'Беспроводная колонка Soundbar Premium Edition подходит для дома и офиса, работает до двадцати часов без подзарядки и поддерживает Bluetooth.',
    null,
  ],
])('the language of a description %s', async (_what, locale, text, expected) => {
  const found = otherLanguage(text, locale, await languageDetector());
  expect(found && `${found.isPart ? 'a part: ' : ''}${found.language}`).toBe(expected);
});

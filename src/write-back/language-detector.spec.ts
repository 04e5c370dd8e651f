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
    ja: 'このエレガントなボトルは一日中飲み物を冷たく保ちます。ステンレス製で、どんなバッグにも入ります。とても軽くて丈夫な製品です。毎日の通勤や旅行にも最適です。ぜひお試しください。',
  };

  it.each(Object.keys(texts))('in %s is known, and is not taken for another one', async (language) => {
    const detect = await languageDetector();
    expect(otherLanguage(texts[language] ?? '', language, detect)).toBeNull();
    for (const other of Object.keys(texts).filter((code) => code !== language))
      expect([other, otherLanguage(texts[language] ?? '', other, detect)]).not.toEqual([other, null]);
  });
});

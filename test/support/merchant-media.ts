/** A merchant's markup as shops have it, what of it stays after a generated text, byte for byte, and what goes with an empty `keep`. */
export interface MediaShape {
  readonly what: string;
  readonly html: string;
  readonly kept: readonly string[];
  readonly lost: string;
}

const whole = (what: string, html: string, lost: string): MediaShape => ({ what, html, kept: [html], lost });
const LAZY =
  '<img class="lazyload" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==" data-src="//cdn.example.com/lazy.jpg" alt="">';
const FALLBACK = '<noscript><img src="//cdn.example.com/lazy.jpg" alt=""></noscript>';
const YOUTUBE =
  '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0&amp;showinfo=0" width="560" height="315" style="position: absolute; top: 0; width: 100%; height: 100%;" frameborder="0" allowfullscreen></iframe>';

export const MEDIA_SHAPES: readonly MediaShape[] = [
  whole(
    'an image without a scheme',
    '<img src="//cdn.example.com/plain.jpg?v=1" alt="5 &quot; lamp">',
    '1 image',
  ),
  whole(
    'an image that loads late, without a source',
    '<img class="lazyload" data-src="//cdn.example.com/late_{width}x.jpg" data-widths="[180, 360]" alt="">',
    '1 image',
  ),
  {
    what: 'an image that loads late, with its fallback for pages without scripts',
    html: `${LAZY}${FALLBACK}`,
    kept: [LAZY, FALLBACK],
    lost: '2 images',
  },
  whole(
    'an image of several sizes',
    '<img src="https://cdn.example.com/s.jpg" srcset="https://cdn.example.com/s.jpg 1x, https://cdn.example.com/l.jpg 2x" sizes="(max-width: 600px) 100vw, 50vw" alt="">',
    '1 image',
  ),
  whole(
    'a picture of several formats',
    '<picture><source type="image/webp" srcset="//cdn.example.com/p.webp"><img src="//cdn.example.com/p.jpg" alt=""></picture>',
    '1 image',
  ),
  whole(
    'an image that is a link',
    '<a href="/pages/size-chart" target="_blank"><img src="//cdn.example.com/chart.png" alt="Sizes"></a>',
    '1 image',
  ),
  whole(
    'a frame that fills the element around it',
    `<div class="video" style="position: relative; padding-bottom: 56.25%; height: 0;">${YOUTUBE}</div>`,
    '1 frame',
  ),
  whole(
    'a frame in two elements that size it',
    '<div class="outer"><div style="padding: 42% 0 0 0;"><iframe src="//player.vimeo.com/video/1" allow="fullscreen"></iframe></div></div>',
    '1 frame',
  ),
  whole(
    'a video with its sources',
    '<video controls poster="//cdn.example.com/v.jpg"><source src="//cdn.example.com/v.webm" type="video/webm"><source src="//cdn.example.com/v.mp4" type="video/mp4">Your browser shows no videos.</video>',
    '1 video',
  ),
  whole(
    'a table with images, another table and references',
    '<table width="100%"><tbody><tr><td>Size&nbsp;M</td><td><img src="//cdn.example.com/m.jpg" alt=""></td></tr><tr><td colspan="2"><table><tbody><tr><td>5 &lt; 6</td></tr></tbody></table></td></tr></tbody></table>',
    '1 table',
  ),
  whole(
    'a figure with its caption',
    '<figure class="wide"><img src="//cdn.example.com/f.jpg" alt=""><figcaption>Worn by <em>Ada</em>, size&nbsp;M</figcaption></figure>',
    '1 image',
  ),
  {
    what: 'the images of a gallery, without its caption',
    html: '<figure><img src="//cdn.example.com/1.jpg"><img src="//cdn.example.com/2.jpg"><figcaption>Both sides</figcaption></figure>',
    kept: ['<img src="//cdn.example.com/1.jpg">', '<img src="//cdn.example.com/2.jpg">'],
    lost: '2 images',
  },
  {
    what: 'an image within a text that is a link, without the text',
    html: '<a href="/pages/care">Care <img src="//cdn.example.com/care.png" alt=""></a>',
    kept: ['<img src="//cdn.example.com/care.png" alt="">'],
    lost: '1 image',
  },
];

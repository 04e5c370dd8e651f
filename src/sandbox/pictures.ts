import { createHash } from 'node:crypto';

export const PICTURE_PATH = /^\/pictures\/([^/]+\/)*([\w-]+)\.\w+$/;

/** A picture of a product for the demo, drawn from its file's name: its initial on a colour of its own. Nothing is loaded from elsewhere. */
export function picture(name: string): string {
  const hue = (createHash('sha256').update(name).digest().readUInt16BE() % 36) * 10;
  const initial = name.charAt(0).toUpperCase();
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="480" height="480">` +
    `<rect width="96" height="96" fill="hsl(${String(hue)} 45% 88%)"/>` +
    `<circle cx="48" cy="48" r="30" fill="hsl(${String(hue)} 35% 42%)"/>` +
    `<text x="48" y="60" text-anchor="middle" font-family="sans-serif" font-size="34" fill="#fff">${initial}</text></svg>`
  );
}

/** What a browser gets that follows no redirect. `cookie`: its name and value. */
export interface OpenedPage {
  readonly status: number;
  readonly location: string;
  readonly cookie: string;
  readonly text: string;
}

export async function openPage(url: string, init: RequestInit = {}): Promise<OpenedPage> {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  return {
    status: answer.status,
    location: answer.headers.get('location') ?? '',
    cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
    text: await answer.text(),
  };
}

/** The samples of Prometheus' text format, each as `name{label="value",…}` to its value, labels in order of name. */
export function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match) continue;
    const labels = [...(match[2] ?? '').matchAll(/(\w+)="([^"]*)"/g)]
      .map(([, name, value]) => `${name ?? ''}="${value ?? ''}"`)
      .sort();
    samples.set(`${match[1] ?? ''}${labels.length > 0 ? `{${labels.join(',')}}` : ''}`, Number(match[3]));
  }
  return samples;
}

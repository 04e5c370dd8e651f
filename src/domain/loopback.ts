const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Whether the address is this machine's own. The URL parser normalises every spelling of an IPv4 address. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

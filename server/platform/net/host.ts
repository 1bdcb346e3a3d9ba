import { isIP } from 'node:net'

/**
 * Whether a `Host` is one that nobody else can let lead here (DNS rebinding): an address, localhost, or one of the names, which
 * are in lower case. Any port may follow.
 */
export function isSafeHost(host: string | undefined, names: readonly string[] = []): boolean {
  const url = URL.parse(`http://${host}`)
  if (!url || url.href !== `${url.origin}/`) return false
  const { hostname } = url
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return true
  return hostname === 'localhost' || hostname.endsWith('.localhost') || names.includes(hostname)
}

/** Whether only programs of this machine reach a listener on the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Reads a list of host names with commas between them. Undefined when one of them is none. */
export function readHostNames(text: string): string[] | undefined {
  const names = text.split(',').map((one) => one.trim().toLowerCase())
  return names.every((name) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) ? names : undefined
}

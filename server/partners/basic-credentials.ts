/** The limit of credentials in a body. A longer text is no client id, and the login throttle must not keep it. */
const MAX_LENGTH = 512

/** Reads `Authorization: Basic` (RFC 7617); undefined for another scheme or a malformed header. */
export function readBasicCredentials(
  header: string | undefined,
): { clientId: string; clientSecret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1 || colon > MAX_LENGTH || text.length - colon - 1 > MAX_LENGTH) return undefined
  return { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) }
}

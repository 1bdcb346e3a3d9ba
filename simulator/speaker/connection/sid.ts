/** A new session id: 16 lower-case hex characters (sb/1 3.1). */
export function randomSid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

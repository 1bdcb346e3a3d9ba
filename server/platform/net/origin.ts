/**
 * Reads the origin of a page, such as `https://shop.example` or `http://10.0.0.1:8080`, as a browser writes it: in lower
 * case, without a default port. Undefined for what has a path, a user or a wildcard, and for any other text.
 */
export function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text) || text.includes('*')) return undefined
  const { protocol, origin, href } = new URL(text)
  return /^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined
}

/** Reads a list of origins with commas between them. Undefined when one of them is none. */
export function readOrigins(text: string): string[] | undefined {
  const parts = text.split(',')
  const origins = parts.flatMap((one) => readOrigin(one.trim()) ?? [])
  return origins.length === parts.length ? origins : undefined
}

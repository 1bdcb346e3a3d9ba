import { Unreadable } from '../model/statement.ts'

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1258', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** The encoding that a byte order mark names. */
function marked(bytes: Uint8Array): Encoding | undefined {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** Decodes a file. A byte order mark wins over the profile's encoding. Throws Unreadable. */
export function decode(bytes: Uint8Array, encoding: Encoding): string {
  const used = marked(bytes) ?? encoding
  try {
    return new TextDecoder(used, { fatal: true }).decode(bytes)
  } catch {
    throw new Unreadable(0, `it is not in ${used}`)
  }
}

/** Whether a file is XML: behind a mark and spaces, it begins with `<`. */
export function isXml(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 256)
  const text = new TextDecoder(marked(head) ?? 'utf-8').decode(head)
  return /^\s*</.test(text)
}

/** Decodes an XML file by its mark or its declaration. Throws Unreadable. */
export function decodeXml(bytes: Uint8Array): string {
  const found = marked(bytes)
  if (found) return decode(bytes, found)
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 256))
  const label = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    throw new Unreadable(1, `it is not in ${label}`)
  }
}

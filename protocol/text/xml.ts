/** Parts of an XML document. Texts among the children must be escaped. */
export function element(
  name: string,
  attributes: Record<string, string>,
  children: readonly string[],
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapedInAttribute(value)}"`)
  const open = `<${name}${written.join('')}`
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('\n')}</${name}>`
}

/** XML 1.0 forbids most control characters and halves of surrogate pairs, even escaped, so they become dots. */
export function escaped(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]|\p{Cs}/gu, '.')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

export function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

/** A reader of XML takes a line end in an attribute for a space, unless it is a reference. */
function escapedInAttribute(text: string): string {
  return escaped(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

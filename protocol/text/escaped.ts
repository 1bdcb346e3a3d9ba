/** The escapes of a character in JSON, one for each of its UTF-16 units, such as \u001b. */
export function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

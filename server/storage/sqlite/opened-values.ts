import { createBoundedMap } from '../../bounded-map.ts'

/** Rows that are remembered: the shops of a large hub. Some 400 bytes each. */
const REMEMBERED = 100_000
/** A sealed value ends in the tag that authenticates it and its place: server/vault.ts. */
const TAG_BYTES = 16

/**
 * Reads these sealed values of a row, and opens them only once for as long as they are sealed the same, whoever
 * changes the row: to compare their tags costs a twentieth of opening. For what every payment needs again.
 */
export function remembering<F extends string>(
  read: (id: string, name: F, sealed: Buffer) => string,
  names: readonly F[],
  limit = REMEMBERED,
): (id: string, row: Readonly<Record<F, Buffer>>) => Readonly<Record<F, string>> {
  const opened = createBoundedMap<{ tags: string; plain: Readonly<Record<F, string>> }>(limit)
  return (id, row) => {
    let tags = ''
    for (const name of names) tags += row[name].toString('latin1', row[name].length - TAG_BYTES)
    const known = opened.get(id)
    if (known?.tags === tags) return known.plain
    // Each name is one of F, and none is left out.
    const plain = Object.fromEntries(names.map((name) => [name, read(id, name, row[name])])) as Record<
      F,
      string
    >
    opened.set(id, { tags, plain })
    return plain
  }
}

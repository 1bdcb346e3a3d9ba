/** Seals a text for a place, as server/security/vault.ts does. `open` throws for what it has not sealed for the place. */
export interface Sealer {
  seal(place: string, plain: string): Buffer
  open(place: string, sealed: Buffer): Buffer
}

export type Cursors = ReturnType<typeof createCursors>

/**
 * The cursors that partners get. They are sealed, because a row's number tells how many rows the hub has of all partners
 * together.
 */
export function createCursors({ seal, open }: Sealer) {
  const sealedFor = (list: string, clientId: string) => `cursors/${clientId}/${list}`
  return {
    make: (list: string, clientId: string, place: readonly string[]) =>
      seal(sealedFor(list, clientId), place.join(' ')).toString('base64url'),
    /** The place of a cursor that `make` has made for this list of this partner. Undefined for any other text. */
    read(list: string, clientId: string, cursor: string): string[] | undefined {
      try {
        return open(sealedFor(list, clientId), Buffer.from(cursor, 'base64url')).toString().split(' ')
      } catch {
        return undefined
      }
    },
  }
}

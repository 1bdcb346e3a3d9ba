/** A promise that was broken. `invariant` is its name in the README of this folder. */
export class Violation extends Error {
  override readonly name = 'Violation'
  readonly invariant: string

  constructor(invariant: string, what: string) {
    super(what)
    this.invariant = invariant
  }
}

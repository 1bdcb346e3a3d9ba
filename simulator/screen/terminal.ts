/**
 * Whether a screen can be drawn there: on a terminal, and one that can move its cursor, which a dumb one can't.
 * `term` is the terminal's kind, from the environment's TERM.
 */
export function canDraw(output: { isTTY?: boolean }, term: string | undefined): boolean {
  return output.isTTY === true && term !== 'dumb'
}

/**
 * Whether the output can show a screen: a terminal that can move its cursor, unlike TERM=dumb. `term` is the value of
 * TERM.
 */
export function canDraw(output: { isTTY?: boolean }, term: string | undefined): boolean {
  return output.isTTY === true && term !== 'dumb'
}

import type { Verdict } from './verdict.ts'

/** The page's element with this id. It exists, because the page and its scripts belong together. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found) return found
  throw new Error(`the page has no element with the id ${id}`)
}

/** As `byId`, for a place where a reader types. */
export function textBox(id: string): HTMLInputElement | HTMLTextAreaElement {
  const found = byId(id)
  if (found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement) return found
  throw new Error(`${id} is not a text box`)
}

/** All matching elements, in the order of the page. */
export function all<T extends Element>(
  selector: string,
  kind: new () => T,
  within: ParentNode = document,
): T[] {
  return [...within.querySelectorAll(selector)].filter((found): found is T => found instanceof kind)
}

/** Creates an element with a class and children; strings become text nodes. */
export function element(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.append(...children)
  return made
}

/** Shows a verdict in its place; without one the place is empty. */
export function showVerdict(id: string, verdict: Verdict | undefined) {
  const box = byId(id)
  box.textContent = verdict?.says ?? ''
  for (const grade of ['right', 'remark', 'wrong']) box.classList.toggle(grade, grade === verdict?.grade)
}

/** The page's element with this id. It exists, because the page and its scripts belong together. */
export function byId<T extends Element>(id: string, kind: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${kind.name} with the id ${id}`)
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

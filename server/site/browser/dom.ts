/** The page's element of this id; the page and its scripts are made together, so that it is there. */
export function byId<T extends Element>(id: string, kind: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${kind.name} with the id ${id}`)
}

/** All elements that a selector finds, in the order of the page. */
export function all<T extends Element>(
  selector: string,
  kind: new () => T,
  within: ParentNode = document,
): T[] {
  return [...within.querySelectorAll(selector)].filter((found): found is T => found instanceof kind)
}

/** An element with a class and children; text becomes text, whatever is in it. */
export function element(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.append(...children)
  return made
}

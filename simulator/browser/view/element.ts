/** Creates an element with a class and children; strings become text nodes. */
export function element(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.append(...children)
  return made
}

/** A button that acts when it is pressed; `name` is what a screen reader says. */
export function button(
  className: string,
  name: string,
  content: Node | string,
  act: () => void,
): HTMLElement {
  const made = element('button', className, content)
  made.setAttribute('type', 'button')
  made.setAttribute('aria-label', name)
  made.addEventListener('click', act)
  return made
}

const SVG = 'http://www.w3.org/2000/svg'

/** An SVG with one path, in a box of `size` units from 0. A screen reader does not see it. */
export function drawing(className: string, size: number, path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`)
  svg.setAttribute('class', className)
  svg.setAttribute('aria-hidden', 'true')
  const shape = document.createElementNS(SVG, 'path')
  shape.setAttribute('d', path)
  svg.append(shape)
  return svg
}

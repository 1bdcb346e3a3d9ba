interface Policy {
  createHTML(html: string): string
}
declare const trustedTypes:
  | { createPolicy(name: string, rules: { createHTML(html: string): string }): Policy }
  | undefined

/** The one policy of the console: what it makes elements of is HTML that the hub has rendered. */
const policy: Policy =
  typeof trustedTypes === 'undefined'
    ? { createHTML: (html) => html }
    : trustedTypes.createPolicy('console', { createHTML: (html) => html })

/** The element of a part of the page, as the hub has rendered it. */
export function elementOf(html: string): Element | undefined {
  const template = document.createElement('template')
  template.innerHTML = policy.createHTML(html)
  return template.content.firstElementChild ?? undefined
}

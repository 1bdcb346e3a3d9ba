import { copyButtons } from './shared/copy.ts'
import { all, byId, textBox } from './shared/dom.ts'
import { say } from './shared/say.ts'
import { translateSwagger } from './swagger-words.ts'

/** The parts of Swagger UI that this page uses. Its bundle, loaded before this script, defines the global. */
declare const SwaggerUIBundle: (options: object) => {
  preauthorizeApiKey(scheme: string, token: string): void
  layoutActions: { updateFilter(phrase: string): void }
}

type Component = (props: Record<string, unknown>) => unknown
interface SwaggerSystem {
  React: {
    createElement(type: unknown, props: Record<string, unknown> | null, ...children: unknown[]): unknown
  }
  getComponent(name: string, isContainer?: boolean): Component
}

/** Swagger UI keeps the document in collections of Immutable.js. */
interface Immutable {
  get(name: string): unknown
  toJS(): unknown
}
interface Tags {
  map(change: (tag: Tag) => Tag): Tags
  filter(keep: (tag: Tag) => boolean): Tags
}
interface Tag {
  get(name: 'operations'): Operations
  set(name: 'operations', operations: Operations): Tag
}
interface Operations {
  size: number
  filter(keep: (operation: Immutable) => boolean): Operations
}

interface SwaggerResponse {
  url: string
  ok: boolean
  /** The body, when it was JSON. */
  obj?: { accessToken?: unknown }
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

/** Shows the operations first, and the document's introduction below them. */
function layout({ React: { createElement }, getComponent }: SwaggerSystem): Component {
  const part = (name: string, isContainer = true) => createElement(getComponent(name, isContainer), null)
  return () =>
    createElement(
      'div',
      { className: 'swagger-ui' },
      part('SvgAssets', false),
      createElement('div', { className: 'scheme-container' }, part('AuthorizeBtnContainer')),
      part('operations'),
      part('InfoContainer'),
      part('Models'),
    )
}

/** React calls it with null when an operation is closed. */
const onShown = (shown: Element | null) => {
  if (shown) copyButtons(shown)
}

/** Puts the calls of an operation, which the page has as templates, before its parameters. */
const withCalls =
  (Parameters: Component, { React: { createElement } }: SwaggerSystem): Component =>
  (props) => {
    const id = String((props.operation as Immutable | undefined)?.get('operationId') ?? '')
    const [template] = all(`template[data-calls="${CSS.escape(id)}"]`, HTMLTemplateElement)
    const calls = template && { dangerouslySetInnerHTML: { __html: template.innerHTML }, ref: onShown }
    return createElement('div', null, calls && createElement('div', calls), createElement(Parameters, props))
  }

/** Keeps the operations whose text has every word. The text has the path, the descriptions and the codes of errors. */
function search(tags: Tags, phrase: string): Tags {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return tags
  const matches = (operation: Immutable) => {
    const text = JSON.stringify(operation.toJS()).toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return tags
    .map((tag) => tag.set('operations', tag.get('operations').filter(matches)))
    .filter((tag) => tag.get('operations').size > 0)
}

// Swagger UI does not draw a custom layout again when a document arrives later, so the document is loaded first.
const answer = await fetch('/openapi.json')
const reference = SwaggerUIBundle({
  spec: await answer.json(),
  dom_id: '#reference',
  deepLinking: true,
  layout: 'OperationsFirst',
  plugins: [
    (system: SwaggerSystem) => {
      translateSwagger(system.React)
      return {
        components: { OperationsFirst: layout(system) },
        wrapComponents: { parameters: withCalls },
        fn: { opsFilter: search },
      }
    },
  ],
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Secrets must not outlive the page.
  persistAuthorization: false,
  // It would send the document's URL to a foreign service.
  validatorUrl: null,
  syntaxHighlight: { theme: 'agate' },
  /** Uses the token of the first operation for the others. */
  responseInterceptor(response: SwaggerResponse) {
    const token = response.obj?.accessToken
    if (response.ok && /\/auth\/(token|refresh)$/.test(response.url) && typeof token === 'string')
      reference.preauthorizeApiKey('bearer', token)
    return response
  },
})

const box = textBox('search')
box.addEventListener('input', filter)

function filter() {
  reference.layoutActions.updateFilter(box.value)
  requestAnimationFrame(() => {
    const count = all('.opblock', HTMLElement).length
    const said = say({
      en: `${count} ${count === 1 ? 'operation' : 'operations'}`,
      vi: `${count} thao tác`,
    })
    byId('found').textContent = box.value === '' ? '' : said
  })
}

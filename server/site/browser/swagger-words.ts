import type { Words } from '../../platform/language/words.ts'
import { say } from './shared/say.ts'

/** The words of Swagger UI that this page shows. Swagger UI has no languages of its own. */
const SWAGGER_WORDS: readonly Words[] = [{ en: 'Authorize', vi: 'Nhập token' }]

/** The attributes that have words. */
const ATTRIBUTES = ['title', 'aria-label', 'placeholder']

type CreateElement = (type: unknown, props: Record<string, unknown> | null, ...children: unknown[]) => unknown

/** Makes Swagger UI's React say the words of Swagger UI in the page's language. Texts of the document stay as they are. */
export function translateSwagger(React: { createElement: CreateElement }) {
  const words = new Map(SWAGGER_WORDS.map((one) => [one.en, say(one)]))
  const translated = (text: unknown) => (typeof text === 'string' ? (words.get(text.trim()) ?? text) : text)
  const create = React.createElement
  React.createElement = (type, props, ...children) => {
    const attributes = ATTRIBUTES.filter((name) => props && name in props)
    const changed = Object.fromEntries(attributes.map((name) => [name, translated(props?.[name])]))
    return create(type, attributes.length > 0 ? { ...props, ...changed } : props, ...children.map(translated))
  }
}

import { type Html, html } from '../../site/parts/html.ts'

/** A name with its value. */
export type Fact = readonly [name: string, value: Html | string]

/** Names and values: in a panel of their own, or in one that has more. */
export function factList(facts: readonly Fact[], { isPanel = true } = {}): Html {
  return html`<dl class="facts${isPanel ? ' panel' : ''}">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** What the change before this page has done. */
export function notice(text: Html | string, mood: 'good' | 'warn' | 'bad' = 'good'): Html {
  return html`<p class="notice ${mood}" role="status">${text}</p>`
}

import { HUB } from '../../../server/security/actor.ts'
import { startConsole } from '../../support/console.ts'
import { createShop } from '../storage/shop.ts'

/** Texts of partners that a page must show as text. */
export const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&amp;`
/** A canary: no viewer's page may have it. */
export const NOTICE = 'bí mật của người trả 0987654321'
export const ACCOUNT = '0001234567'

/** A console whose hub has a partner with a shop. */
export async function shopConsole() {
  const world = await startConsole()
  const { storage } = world
  const shop = createShop(storage)
  const clientId = await shop.partner('sbc_1')
  const speaker = await shop.speaker(clientId, 'T1')
  const pay = async (changes: Parameters<typeof shop.payment>[1] = {}) => {
    const id = shop.ids.uuid()
    const at = Date.now()
    await shop.pay(clientId, { ...{ id, notice: NOTICE, receivedAt: at, paidAt: at }, ...changes })
    return id
  }
  const noted = async (action: string) =>
    (await storage.audit.list({ action, limit: 100 })).map(({ actor, actorKind, subject, details }) => ({
      actor,
      actorKind,
      subject,
      details,
    }))
  return { ...world, shop, clientId, speaker, pay, noted, hub: HUB }
}

/** The rows of a file, each with its cells by the names of its columns. Its texts have no line breaks and no quotes. */
export async function csvOf(answer: Response): Promise<Record<string, string>[]> {
  const [head = '', ...lines] = (await answer.text()).replace('\ufeff', '').trimEnd().split('\r\n')
  const names = head.split(',')
  return lines
    .slice(0, -1)
    .map((line) => Object.fromEntries(line.split(',').map((cell, index) => [names[index], cell])))
}

/** The cells of the rows of a page's tables, as text. */
export function rowsOf(html: string): string[][] {
  return [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]
    .map(([, row = '']) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => textOf(cell)))
    .filter((cells) => cells.length > 0)
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trim()
}

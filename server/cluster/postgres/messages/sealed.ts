import { z } from 'zod'
import type { Vault } from '../../../security/vault.ts'
import { placeOf } from '../../../storage/shared/sealed-columns.ts'
import type { Message } from '../../messages.ts'

const MESSAGE: z.ZodType<Message> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('showCode'), code: z.string(), expiresAt: z.number() }),
  z.object({ kind: z.literal('clearCode') }),
  z.object({ kind: z.literal('identify') }),
])

export function sealMessage(vault: Vault, id: string, message: Message): Buffer {
  return vault.seal(placeOfMessage(id), JSON.stringify(message))
}

/** Undefined when it is not understood: a hub of another release may ask for something else. */
export function openMessage(vault: Vault, id: string, sealed: Buffer): Message | undefined {
  return MESSAGE.safeParse(JSON.parse(vault.open(placeOfMessage(id), sealed).toString('utf8'))).data
}

function placeOfMessage(id: string): string {
  return placeOf('hub_messages', id, 'sealed')
}

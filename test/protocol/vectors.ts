import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { acceptanceFile } from '../../protocol/generate/formats/acceptance.ts'
import { frameFile } from '../../protocol/generate/formats/frame.ts'
import { sizesFile, topicsFile } from '../../protocol/generate/formats/hub.ts'
import { amountWordsFile, clipsFile } from '../../protocol/generate/formats/money.ts'
import { vietQrFile } from '../../protocol/generate/formats/partner.ts'

/** The shared vectors, parsed and typed. */

export const acceptanceVectors = read('acceptance', acceptanceFile)
export const amountWords = read('amount-words', amountWordsFile)
export const clipVectors = read('clips', clipsFile)
export const frameVectors = read('frame', frameFile)
export const sizeVectors = read('sizes', sizesFile)
export const topicVectors = read('topics', topicsFile)
export const vietQrVectors = read('vietqr', vietQrFile)

function read<T>(name: string, schema: z.ZodType<T>): T {
  const file = new URL(`../../protocol/vectors/${name}.json`, import.meta.url)
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
}

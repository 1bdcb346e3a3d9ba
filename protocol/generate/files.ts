import { acceptanceVectors } from './acceptance/acceptance.ts'
import { acceptanceFile } from './formats/acceptance.ts'
import { frameFile } from './formats/frame.ts'
import { sizesFile, topicsFile } from './formats/hub.ts'
import { amountWordsFile, clipsFile } from './formats/money.ts'
import { checksumFile, vietQrFile } from './formats/partner.ts'
import { asyncApiDocument } from './messages/asyncapi.ts'
import { toJson } from './messages/json.ts'
import { fileSchema } from './messages/json-schema.ts'
import { schemaFiles } from './messages/schemas.ts'
import { fillSpecification } from './spec/readme.ts'
import { clipTable } from './tables/clip-table.ts'
import { clipVectors } from './tables/clips.ts'
import { sizeVectors } from './tables/sizes.ts'
import { topicVectors } from './tables/topics.ts'

/** The formats of the vector files, by file name without extension. */
const FORMATS = {
  acceptance: acceptanceFile,
  'amount-words': amountWordsFile,
  checksum: checksumFile,
  clips: clipsFile,
  frame: frameFile,
  sizes: sizesFile,
  topics: topicsFile,
  vietqr: vietQrFile,
} as const

/**
 * The content of every generated file, by its path relative to protocol/. The specification is written by hand except
 * for its generated regions, so the present text is a parameter.
 */
export function generatedFiles(specification: string): Map<string, string> {
  return new Map([
    ['README.md', fillSpecification(specification)],
    ['asyncapi.json', toJson(asyncApiDocument())],
    ...schemaFiles(),
    ['examples/c/core/clip_table.h', clipTable()],
    ['vectors/acceptance.json', toJson(acceptanceVectors())],
    ['vectors/clips.json', toJson(clipVectors())],
    ['vectors/sizes.json', toJson(sizeVectors())],
    ['vectors/topics.json', toJson(topicVectors())],
    ...Object.entries(FORMATS).map(
      ([name, format]) => [`vectors/schemas/${name}.schema.json`, toJson(fileSchema(format))] as const,
    ),
  ])
}

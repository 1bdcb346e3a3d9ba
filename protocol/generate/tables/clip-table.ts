import { english } from '../../money/en.ts'
import type { Speech } from '../../money/language.ts'
import { vietnamese } from '../../money/vi.ts'

/** The clips of each language as a C header for the example device: ids and their texts. */
export function clipTable(): string {
  return `/* SPDX-License-Identifier: MIT */
#ifndef SB1_CLIP_TABLE_H
#define SB1_CLIP_TABLE_H

/* Written by \`npm run protocol:generate\` from protocol/money. The order is that of the device's clip packs. */

struct clip {
  const char *id;
  const char *words;
};

${table('CLIPS_VI', vietnamese)}
${table('CLIPS_EN', english)}
#endif
`
}

function table(name: string, { words }: Speech): string {
  const rows = [...words].map(([id, word]) => `    {"${id}", "${word}"},\n`)
  return `static const struct clip ${name}[] = {\n${rows.join('')}};\n`
}

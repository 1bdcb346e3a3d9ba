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
#ifndef SB1_NO_WORDS
  const char *words;
#endif
};

#ifdef SB1_NO_WORDS
#define CLIP(id, words) {id}
#else
#define CLIP(id, words) {id, words}
#endif

${table('CLIPS_VI', vietnamese)}
${table('CLIPS_EN', english)}
#endif
`
}

function table(name: string, { words }: Speech): string {
  const rows = [...words].map(([id, word]) => `    CLIP("${id}", "${word}"),\n`)
  return `static const struct clip ${name}[] = {\n${rows.join('')}};\n`
}

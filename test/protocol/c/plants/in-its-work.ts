import type { Plant } from './plant.ts'

/** In its clock, its session and its random numbers. */
const IN_ITS_SESSION: readonly Plant[] = [
  {
    name: 'adds at and ttl in 32 bits',
    file: 'core/receive.c',
    text: 'ttl < UINT32_MAX - at ? at + ttl : UINT32_MAX;',
    instead: 'at + ttl;',
    finds: ['expiry/beyond-32-bits'],
  },
  {
    name: 'compares times in a signed variable of 32 bits',
    file: 'core/session.c',
    text: '(int64_t)device->now_ms + device->hub_ahead_ms >= (int64_t)hub_seconds * 1000 + 1000;',
    instead: '(int32_t)(((int64_t)device->now_ms + device->hub_ahead_ms) / 1000) > (int32_t)hub_seconds;',
    finds: ['expiry/after-2038'],
  },
  {
    name: 'is past a second when it begins',
    file: 'core/session.c',
    text: '>= (int64_t)hub_seconds * 1000 + 1000;',
    instead: '>= (int64_t)hub_seconds * 1000;',
    finds: ['expiry/last-second'],
  },
  {
    name: 'has a tick of 32 bits, which wraps some seconds after the start',
    file: 'linux/start.c',
    text: '  return read_clock(CLOCK_MONOTONIC);',
    instead:
      '  static uint64_t first;\n  uint64_t ms = read_clock(CLOCK_MONOTONIC);\n  if (first == 0) first = ms;\n  return (uint32_t)(ms - first - 4000);',
    isSlow: true,
    finds: ['expiry/while-waiting'],
  },
  {
    name: 'writes its session id with %x, without leading zeros',
    file: 'core/session.c',
    text: '    device->sid[2 * i] = digits[random[i] >> 4];\n    device->sid[2 * i + 1] = digits[random[i] & 15];',
    instead:
      // The first byte always needs a zero: chance decides nothing.
      '    if (i == 0) memset(device->sid, 0, sizeof device->sid);\n    if (i > 0 && random[i] > 15) device->sid[strlen(device->sid)] = digits[random[i] >> 4];\n    device->sid[strlen(device->sid)] = digits[random[i] & 15];',
    finds: ['session/sid-form'],
    after: ['session/opens', 'reconnection/after-cut', 'dedupe/cut-while-speaking'],
  },
  {
    name: 'has the same random numbers after each start, as from rand() without a seed',
    file: 'linux/link.c',
    text: 'if (!speaker->client || getentropy(sid, sizeof sid) != 0) {',
    instead:
      'static uint32_t seed = 1;\n  for (int i = 0; i < 8; i++) sid[i] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);\n  if (!speaker->client) {',
    finds: ['session/sid-new'],
    after: ['power/without-connection', 'dedupe/played-over-power-cut'],
  },
  {
    name: 'does not forget the last screen number at a new session',
    file: 'core/session.c',
    text: 'device->shown = device->beeped = 0;',
    instead: 'device->beeped = 0;',
    finds: ['order/numbers-of-a-session'],
  },
  {
    name: 'compares screen numbers in 16 bits',
    file: 'core/screens.c',
    text: 'if (command->n <= device->shown) {',
    instead: 'if ((uint16_t)command->n <= (uint16_t)device->shown) {',
    finds: ['numbers/of-screens'],
  },
  {
    name: 'compares screen numbers in a signed variable',
    file: 'core/screens.c',
    text: 'if (command->n <= device->shown) {',
    instead: 'if ((int32_t)command->n <= (int32_t)device->shown) {',
    finds: ['numbers/of-screens'],
  },
]

/** In what it speaks and shows. */
const IN_ITS_SOUNDS_AND_SCREENS: readonly Plant[] = [
  {
    name: 'spares the flash: it stores the number of a payment only if none waits behind it',
    file: 'core/sounds.c',
    text: 'if (!sb1_keep(device)) return;',
    instead: 'if (device->sound_count == 1 && !sb1_keep(device)) return;',
    finds: ['dedupe/power-cut-with-one-waiting'],
  },
  {
    name: 'stores the number of a payment when its sound has ended',
    file: 'core/sounds.c',
    text: 'if (!sb1_keep(device)) return;',
    instead: '(void)0;',
    finds: ['dedupe/power-cut-while-speaking'],
  },
  {
    name: 'moves too few clips when a sentence has ended',
    file: 'core/sounds.c',
    text: 'memmove(&device->clips[0], &device->clips[count], SB1_CLIPS - count);',
    instead: 'memmove(&device->clips[0], &device->clips[count], device->sound_count);',
    finds: ['order/in-turn'],
  },
  {
    name: 'speaks the first 24 clips of a sentence',
    file: 'core/sounds.c',
    text: '    sound->clip_count++;',
    instead: '    if (sound->clip_count < 24) sound->clip_count++;',
    finds: ['order/code-while-speaking'],
  },
  {
    name: 'refuses a sentence of 27 clips',
    file: 'core/sounds.c',
    text: '    sound->clip_count++;',
    instead: '    if (++sound->clip_count > 26) return false;',
    finds: ['order/code-while-speaking'],
  },
  {
    name: 'puts an earlier sound in front of the one that sounds',
    file: 'core/sounds.c',
    text: 'unsigned place = device->is_sounding ? 1 : 0;',
    instead: 'unsigned place = 0;',
    isSlow: true,
    finds: ['held/identify-overtaken'],
  },
  {
    name: 'writes one sound behind the end of its queue',
    file: 'core/sounds.c',
    text: 'if (device->sound_count == SB1_SOUNDS ||',
    instead: 'if (device->sound_count > SB1_SOUNDS ||',
    finds: ['held/full-queue'],
  },
  {
    name: 'compares amounts in 32 bits',
    file: 'core/screens.c',
    text: '  if (!sb1_json_says(bill, screen->qr_bill) || strcmp(sound->amount, screen->qr_amount) != 0) return;',
    instead:
      '  uint32_t sums[2] = {0};\n  for (const char *p = sound->amount; *p; p++) sums[0] = sums[0] * 10 + (uint32_t)(*p - 48);\n  for (const char *p = screen->qr_amount; *p; p++) sums[1] = sums[1] * 10 + (uint32_t)(*p - 48);\n  if (!sb1_json_says(bill, screen->qr_bill) || sums[0] != sums[1]) return;',
    finds: ['screen/not-paid'],
  },
  {
    name: 'does not compare the last letter of a bill',
    file: 'core/screens.c',
    text: '!sb1_json_says(bill, screen->qr_bill)',
    instead: 'strncmp(bill.at, screen->qr_bill, 63) != 0',
    finds: ['screen/not-paid'],
  },
  {
    name: 'adds the sums of missed payments up',
    file: 'core/screens.c',
    text: 'screen->missed_count = count;',
    instead: 'screen->missed_count += count;',
    finds: ['screen/missed-replaced'],
  },
  {
    name: 'is locked when `locked` is there, although it is false',
    file: 'core/screens.c',
    text: 'value.length == 0 || sb1_json_bool(value, is_locked);',
    instead: 'value.length == 0 || (*is_locked = true);',
    finds: ['ack/locked'],
  },
  {
    name: 'stands still while a sentence sounds',
    file: 'linux/device.c',
    text: 'speaker->sound_ends_ms = now_ms() + (uint64_t)clips * speaker->options.clip_ms;',
    instead: 'nap((uint64_t)clips * speaker->options.clip_ms), speaker->sound_ends_ms = now_ms();',
    clipMs: 900,
    isSlow: true,
    finds: ['order/code-while-speaking'],
  },
  {
    name: 'stores the ring of keys before it takes the next key for the current one',
    file: 'core/keys.c',
    text: '  device->ring.has_next = device->uses_next = false;\n  if (!keep_ring(device)) return false;',
    instead: '  device->ring.has_next = device->uses_next = false;',
    finds: ['rekey/old-key-forgotten-over-power-cut'],
  },
]

export const IN_ITS_WORK: readonly Plant[] = [...IN_ITS_SESSION, ...IN_ITS_SOUNDS_AND_SCREENS]

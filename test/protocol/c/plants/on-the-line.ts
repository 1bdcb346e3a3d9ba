import type { Plant } from './plant.ts'

/** In the MQTT client and the session of the firmware. */
const PLANTS: readonly Omit<Plant, 'isOverModem'>[] = [
  {
    name: 'sends a PINGREQ only if it has sent nothing else',
    file: 'mcu/net/mqtt.c',
    text: '(mqtt->sent_ms < mqtt->received_ms ? mqtt->sent_ms : mqtt->received_ms) + PING_MS',
    instead: 'mqtt->sent_ms + PING_MS',
    isSlow: true,
    finds: ['reconnection/half-open'],
  },
  {
    name: 'says that its will has QoS 2',
    file: 'mcu/net/mqtt.c',
    text: '#define CONNECT_FLAGS 0xCE',
    instead: '#define CONNECT_FLAGS 0xD6',
    finds: ['connection/will-topic'],
  },
  {
    name: 'drops a packet that fills its buffer exactly',
    file: 'mcu/net/mqtt.c',
    text: 'bool is_whole = mqtt->remaining <= mqtt->rx_size;',
    instead: 'bool is_whole = mqtt->remaining < 507;',
    finds: ['size/full-buffer'],
  },
  {
    name: 'reads the rest of a packet that is too large as new packets',
    file: 'mcu/net/mqtt.c',
    text: 'return mqtt->has_header ? is_expected(mqtt) : mqtt->header_bytes < 5;',
    instead:
      'if (mqtt->has_header && mqtt->remaining > mqtt->rx_size) mqtt->remaining = (uint32_t)mqtt->rx_size;\n  return mqtt->has_header ? is_expected(mqtt) : mqtt->header_bytes < 5;',
    finds: ['size/forged-over-buffer'],
  },
  {
    name: 'takes what one read gives for a whole packet',
    file: 'mcu/net/mqtt.c',
    text: 'if (!mqtt->has_header || mqtt->body_bytes < mqtt->remaining) continue;',
    instead: 'if (!mqtt->has_header || (mqtt->remaining > 0 && mqtt->body_bytes == 0)) continue;',
    finds: ['size/in-pieces'],
  },
  {
    name: 'forgets what was read behind a packet',
    file: 'mcu/net/mqtt.c',
    text: '    type = take_packet(mqtt, event);',
    instead:
      '    type = take_packet(mqtt, event);\n    uint8_t rest[64];\n    while ((mqtt->header & 0xF0) == PUBLISH && mqtt->stream.receive(mqtt->stream.context, rest, sizeof rest) > 0) continue;',
    finds: ['size/joined'],
  },
  {
    name: 'drops a packet with the DUP flag as a repeat',
    file: 'mcu/net/mqtt.c',
    text: '  if (begin(mqtt, PUBACK, ID_BYTES)) put_number(mqtt, packet_id);\n',
    instead:
      '  if (begin(mqtt, PUBACK, ID_BYTES)) put_number(mqtt, packet_id);\n  if (is_repeat) return MQTT_NOTHING;\n',
    finds: ['dedupe/mqtt-mark'],
  },
  {
    name: 'uses packet identifier 0 after 255',
    file: 'mcu/net/mqtt.c',
    text: '  if (++mqtt->last_id == 0) mqtt->last_id = 1;\n  return mqtt->last_id;',
    instead: '  mqtt->last_id = (uint8_t)(mqtt->last_id + 1);\n  return mqtt->last_id;',
    isSlow: true,
    finds: ['ack/many-in-a-session'],
  },
  {
    name: 'does not begin a new packet in a new connection',
    file: 'mcu/net/mqtt.c',
    text: '  *mqtt = (struct mqtt){.stream = stream, .rx = rx, .rx_size = rx_size, .tx = tx, .pong_by_ms = UINT64_MAX};',
    instead:
      '  struct mqtt old = *mqtt;\n  *mqtt = (struct mqtt){.stream = stream, .rx = rx, .rx_size = rx_size, .tx = tx, .pong_by_ms = UINT64_MAX};\n  mqtt->header_bytes = old.header_bytes;\n  mqtt->header = old.header;\n  mqtt->has_header = old.has_header;\n  mqtt->remaining = old.remaining;\n  mqtt->body_bytes = old.body_bytes;',
    isSlow: true,
    finds: ['reconnection/cut-within-packet'],
  },
  {
    name: 'takes only 0x80 in a SUBACK for a refusal',
    file: 'mcu/net/link.c',
    text: 'if (code != 1) lose(link, "the subscription was refused"); /* sb/1 4.3 */\n  if (code != 1) return;',
    instead: 'if (code == 0x80) lose(link, "the subscription was refused");\n  if (code == 0x80) return;',
    finds: ['reconnection/suback-refused'],
  },
  {
    name: 'writes its will with the session id of the session before',
    file: 'mcu/net/link.c',
    text: '  if (config->random(config->context, sid, sizeof sid)) sb1_connect(device, sid);',
    instead:
      '  sb1_write_will(device, "lost", &will);\n  will.full = true;\n  if (config->random(config->context, sid, sizeof sid)) sb1_connect(device, sid);',
    finds: ['connection/will-frame'],
    after: ['reconnection/after-cut'],
  },
  {
    name: 'answers a PUBLISH with a PUBACK for the low byte of its identifier',
    file: 'mcu/net/mqtt.c',
    text: 'if (begin(mqtt, PUBACK, ID_BYTES)) put_number(mqtt, packet_id);',
    instead: 'if (begin(mqtt, PUBACK, ID_BYTES)) put_number(mqtt, packet_id & 0xFF);',
    finds: ['session/puback'],
  },
]

export const ON_THE_LINE = PLANTS.map((plant): Plant => ({ ...plant, isOverModem: true }))

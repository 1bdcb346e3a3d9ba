import type { Attack } from '../gang/round.ts'
import { connections } from './connections.ts'
import { floods } from './floods.ts'
import { CROWD, fullTable, fullTableProxy, fullTableToken } from './full-table.ts'
import { HALF_OPEN_MQTT, HALF_OPEN_WS, halfOpenMqtt, halfOpenWs } from './half-open.ts'
import { lockOut } from './lock-out.ts'
import { missedBacklog } from './missed-backlog.ts'
import { mqttMutations } from './mqtt-mutations.ts'
import { noisyNeighbour } from './noisy-neighbour.ts'
import { pipelining } from './pipelining.ts'
import { slowReaders } from './slow-readers.ts'
import { slowSenders } from './slow-senders.ts'
import { wrongChecksums } from './wrong-checksums.ts'

export interface NamedAttack {
  name: string
  what: string
  attack: Attack
  /** Sockets that one process has open at a time, where they are thousands and fill a table of the hub. */
  sockets?: number
  /** Attackers and victim come through the HAProxy of deploy/. */
  isProxied?: true
}

/** All attacks, in the order of `npm run attack`. */
export const ATTACKS: readonly NamedAttack[] = [
  {
    name: 'pipelining',
    what: '100 connections write 2,500 GETs each at once, and read nothing',
    attack: pipelining,
  },
  {
    name: 'slow-senders',
    what: '1,000 connections send a byte of their headers a second; bodies stall',
    attack: slowSenders,
  },
  {
    name: 'floods',
    what: 'requests without a token to one endpoint after another, from one address and from several',
    attack: floods,
  },
  {
    name: 'wrong-checksums',
    what: 'a neighbour sends wrong checksums with long notices, conflicts and unknown terminals',
    attack: wrongChecksums,
  },
  {
    name: 'noisy-neighbour',
    what: 'a neighbour reports payments on 400 connections, as fast as they are answered',
    attack: noisyNeighbour,
  },
  {
    name: 'missed-backlog',
    what: "a neighbour's speakers are born again and again with a backlog of missed payments, and confirm it",
    attack: missedBacklog,
  },
  {
    name: 'connections',
    what: 'HTTP and MQTT connections are opened, cut and left half-open',
    attack: connections,
  },
  {
    name: 'mqtt-mutations',
    what: 'garbage and mutated packets; foreign topics, wrong MACs, huge packets; takeovers with wrong passwords',
    attack: mqttMutations,
  },
  {
    name: 'slow-readers',
    what: "large answers that nobody reads; a neighbour's speakers stop reading while payments come for them",
    attack: slowReaders,
  },
  {
    name: 'lock-out',
    what: "wrong logins with the victim's client id, from other addresses and from its own",
    attack: lockOut,
  },
  {
    name: 'full-table',
    what: '5,280 slow bodies of strangers from eleven networks, where the hub takes 5,000 connections',
    attack: fullTable,
    sockets: CROWD,
  },
  {
    name: 'full-table-token',
    what: 'the same from a neighbour: each connection has shown its good token before',
    attack: fullTableToken,
    sockets: CROWD,
  },
  {
    name: 'half-open-mqtt',
    what: '5,280 MQTT connections without a CONNECT or with half of one, and 1,320 TLS handshakes that do not end',
    attack: halfOpenMqtt,
    sockets: HALF_OPEN_MQTT,
  },
  {
    name: 'half-open-ws',
    what: '5,280 half handshakes for MQTT over WebSocket, and 4,400 whole ones without a CONNECT',
    attack: halfOpenWs,
    sockets: HALF_OPEN_WS,
  },
  {
    name: 'full-table-proxy',
    what: 'slow bodies that fill the buffers of the HAProxy of deploy/, through which the victim comes, too',
    attack: fullTableProxy,
    // HAProxy has one to the client and one to the hub.
    sockets: 2 * CROWD,
    isProxied: true,
  },
]

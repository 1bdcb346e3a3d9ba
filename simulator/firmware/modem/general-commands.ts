import {
  type Core,
  cmeError,
  ERROR,
  type Handler,
  isRegistered,
  loseSockets,
  OK,
  registrationOf,
  shows,
  write,
} from './module.ts'

const NO_SIM = 10
const SIM_BUSY = 14
const QUARTER_MS = 15 * 60_000
/** Vietnam, in quarters of an hour. */
const ZONE = 28
/** What a module shows that has not heard the network's time. */
const NEVER_SET = '80/01/06,00:00:00+00'

const ACTIVATE_MS = 200
const DEACTIVATE_MS = 100

const accept: Handler = () => OK

/** `AT+CEREG=n` and `AT+CMEE=n`: whether something is told. */
const flag = (most: number, set: (core: Core, value: number) => void) =>
  write((core, [value, ...rest]) => {
    if (typeof value !== 'number' || value > most || rest.length > 0) return ERROR
    set(core, value)
    return OK
  })

/** Commands about the module, the SIM card, the network and the context. */
export const GENERAL_COMMANDS: Readonly<Record<string, Handler>> = {
  '': accept,
  V: accept,
  Q: accept,
  '&F': accept,
  '&W': accept,
  E: flag(1, ({ state }, value) => {
    state.echo = value === 1
  }),
  '+CMEE': flag(1, ({ state }, value) => {
    state.errorNumbers = value === 1
  }),
  '+CPIN': (core, { form }) => {
    if (form !== 'read') return ERROR
    if (core.faults.noSim) return cmeError(NO_SIM)
    return core.state.isSimReady ? shows('+CPIN: READY') : cmeError(SIM_BUSY)
  },
  '+CEREG': (core, command) =>
    command.form === 'read'
      ? shows(`+CEREG: ${core.state.tellsRegistration ? 1 : 0},${registrationOf(core)}`)
      : flag(1, ({ state }, value) => {
          state.tellsRegistration = value === 1
        })(core, command),
  '+CSQ': (core, { form }) =>
    form === 'execute' ? shows(`+CSQ: ${isRegistered(core) ? 21 : 99},99`) : ERROR,
  '+CCLK': (core, { form }) => (form === 'read' ? shows(`+CCLK: "${timeOf(core)}"`) : ERROR),
  '+CFUN': (core, command) => {
    if (command.form === 'read') return shows('+CFUN: 1')
    if (command.form !== 'write' || command.args[0] !== 1) return ERROR
    return command.args[1] === 1 ? { ...OK, afterwards: () => core.restart() } : OK
  },
  '+QPOWD': write((core, [mode = 1]) =>
    mode === 0 || mode === 1
      ? {
          ...OK,
          afterwards: () => {
            core.urc('POWERED DOWN')
            core.switchOff()
          },
        }
      : ERROR,
  ),
  '+QICSGP': write((_, [context, type]) =>
    context === 1 && (type === undefined || Number(type) >= 1) ? OK : ERROR,
  ),
  '+QIACT': (core, command) => {
    const { state } = core
    if (command.form === 'read') return state.context === 'active' ? shows('+QIACT: 1,1,1,"10.0.0.2"') : OK
    if (command.form !== 'write' || command.args[0] !== 1 || command.args.length > 1) return ERROR
    const works = isRegistered(core) && state.context === 'idle'
    if (works) state.context = 'active'
    return { ...(works ? OK : ERROR), takesMs: ACTIVATE_MS }
  },
  '+QIDEACT': write((core, [context, ...rest]) => {
    const { state } = core
    if (context !== 1 || rest.length > 0) return ERROR
    loseSockets(core)
    state.sockets.clear()
    state.context = 'idle'
    return { ...OK, takesMs: DEACTIVATE_MS }
  }),
  '+QIGETERROR': ({ state }, { form }) =>
    form === 'execute' ? shows(`+QIGETERROR: ${state.lastError}`) : ERROR,
}

/** Local time and its distance to UTC, as the network tells it (3GPP TS 27.007, 8.15). */
function timeOf(core: Core): string {
  if (!isRegistered(core)) return NEVER_SET
  const local = new Date(core.now() + ZONE * QUARTER_MS).toISOString()
  return `${local.slice(2, 10).replaceAll('-', '/')},${local.slice(11, 19)}+${ZONE}`
}

// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
import { hub, print } from './hub.mts'

// A retry has the same key by itself, and shows no second code.
print(await hub.sendVerificationCode({ deviceSerial: '{{SERIAL}}' }))

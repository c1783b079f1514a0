import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

/** Time that passes $TIME_FACTOR times as fast for the process, so that its time limits are soon over. */
const factor = Number(process.env.TIME_FACTOR)
const { setTimeout: after } = globalThis
const { setTimeout: delay } = timers
const now = performance.now.bind(performance)

globalThis.setTimeout = ((run: () => void, milliseconds = 0) => after(run, milliseconds / factor)) as typeof setTimeout
timers.setTimeout = async (milliseconds = 0, ...rest) => delay(milliseconds / factor, ...rest)
performance.now = () => now() * factor
syncBuiltinESMExports()

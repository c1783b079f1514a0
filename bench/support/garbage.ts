import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** What was left by one side is not to be collected in the time of the next. */
export const collectGarbage = runInNewContext('gc') as () => void

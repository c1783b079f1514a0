import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collect garbage now, so that what one side left is not collected in the time of the next. */
export const collectGarbage = runInNewContext('gc') as () => void

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collect garbage now, so that the garbage of one side is not collected while the next one is measured. */
export const collectGarbage = runInNewContext('gc') as () => void

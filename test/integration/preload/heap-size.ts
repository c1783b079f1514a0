import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Writes what garbage collections leave in memory, in bytes, to the file that $HEAP_SIZE_FILE names, whenever the
 * process gets SIGUSR2.
 */
process.on('SIGUSR2', () => {
  collect()
  // what a collection finalizes is freed by the next one
  setImmediate(() => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    writeFileSync(String(process.env.HEAP_SIZE_FILE), String(heapUsed + arrayBuffers))
  })
})

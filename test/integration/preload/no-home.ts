/** Preloaded into a process that runs as a user without a home directory. */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

os.homedir = () => {
  throw Object.assign(new Error('ENOENT: uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' })
}

syncBuiltinESMExports()

/**
 * @packageDocumentation
 *
 * The file with the settings of a repo, `config.json`. The command `ipfsz` says which keys there are: they are options
 * of its commands. Programs that call `openRepo` pass options instead, and nothing here changes them.
 */
export { changeConfig, configIn, readConfig } from './config-file.ts'
export type { Config, ConfigValue } from './config-file.ts'

// protons-runtime 8.0.1: numbers from 2^31 to 2^32 - 1 are written wrongly
import { reader, writer } from 'protons-runtime'

// prints 2147483648; before: 0, or a RangeError
console.info(String(reader(writer().uint64(2n ** 31n).finish()).uint64()))

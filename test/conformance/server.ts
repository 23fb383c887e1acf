/**
 * The server that the official conformance suite wants to meet, at /mcp of that port:
 *
 *   npx tsx test/conformance/server.ts PORT
 */
import process from 'node:process'
import { serveConformance } from './fixture.ts'

const { url } = await serveConformance(Number(process.argv[2] ?? 0))
process.stdout.write(`${url}\n`)

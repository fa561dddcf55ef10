import { createServer } from 'node:http';
import { sum } from './sum.mjs';

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://here');
  response.end(`${sum(Number(searchParams.get('a')), Number(searchParams.get('b')))}\n`);
});
server.listen(Number(process.env.PORT), () => process.stdout.write('listening\n'));

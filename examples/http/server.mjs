// An HTTP service that scores DNA: the distance of its duplex energy from −18 kcal/mol, by nearest-neighbour parameters.
// Start it with: node examples/http/server.mjs [PORT]

import { createServer } from "node:http";

/** Free energies at 37 °C of stacked pairs, in kcal/mol (SantaLucia 1998). The other strand has the same value. */
const STACKS = {
  AA: -1.0,
  AT: -0.88,
  TA: -0.58,
  CA: -1.45,
  GT: -1.44,
  CT: -1.28,
  GA: -1.3,
  CG: -2.17,
  GC: -2.24,
  GG: -1.84,
};
const OTHER = { A: "T", C: "G", G: "C", T: "A" };
const WANTED = -18;

/** The free energy of a string with its complement. */
function energy(string) {
  let sum = 0;
  for (const end of [string.at(0), string.at(-1)]) sum += end === "G" || end === "C" ? 0.98 : 1.03;
  for (let i = 0; i + 1 < string.length; i++) {
    const [first, second] = [string[i], string[i + 1]];
    sum += STACKS[first + second] ?? STACKS[OTHER[second] + OTHER[first]];
  }
  return sum;
}

function answer(string) {
  if (!/^[ACGT]{2,}$/.test(string))
    return { string, error: "must have two or more of the letters A, C, G, T" };
  return { string, score: Math.abs(energy(string) - WANTED) };
}

const server = createServer(async (request, response) => {
  const reply = (status, body) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.method !== "POST" || request.url !== "/score") return reply(404, { error: "POST /score" });
  try {
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    reply(200, { answers: JSON.parse(text).strings.map(answer) });
  } catch (error) {
    reply(400, { error: error.message });
  }
});

// Only programs on this machine can reach the service.
server.listen(Number(process.argv[2] ?? 8731), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/score`);
});

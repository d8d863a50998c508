// A sub-agent without any code of Lantern: it needs the package `nats` of npm alone.
//
// npm ci && NATS_URL=$(lantern nats-url) npm start
import { createHash, randomBytes } from "node:crypto";
import { AckPolicy, connect, DeliverPolicy, JSONCodec } from "nats";

const CELL = process.env.LANTERN_CELL ?? "main";
const NAME = "parrot";
const TAKEN = 10077; // JetStream's error code: the stream has a message on this subject already, so all is well
const me = { name: NAME, version: "1.0.0", instance: randomBytes(4).toString("hex") };
const codec = JSONCodec();
const now = () => new Date().toISOString();
const since = now();

// The fragment in its envelope: what the actor should know, and what it could do.
function fragmentFor({ session, step, body }) {
  const words = body.observation.split(/\s+/);
  const section = { name: NAME, text: `The longest word is ${words.sort((a, b) => b.length - a.length)[0]}.` };
  const trace_id = createHash("md5").update(`${session}/${step}`).digest("hex");
  const address = { kind: "fragment", cell: CELL, session, step };
  const fragment = { step, sections: [section], suggestions: ["listen"] };
  return { ...address, version: "1.1", service: me, time: now(), trace_id, body: fragment };
}

// One heartbeat. The actor waits for the fragments of instances that are ready.
function sayAlive(nc, state) {
  const alive = { ...me, cell: CELL, gives_fragments: true, state, since, time: now() };
  nc.publish(`lantern.${CELL}.live.${NAME}.${me.instance}`, codec.encode(alive));
}

// The fragment is stored once: the Nats-Msg-Id is the subject without its first word.
async function answer(js, message) {
  const fragment = fragmentFor(codec.decode(message.data));
  const id = `${CELL}.${fragment.session}.fragment.${fragment.step}.${NAME}`;
  try {
    await js.publish(`lantern.${id}`, codec.encode(fragment), { msgID: id });
  } catch (error) {
    if (error.api_error?.err_code !== TAKEN) throw error;
  }
  message.ack();
}

const url = new URL(process.env.NATS_URL);
const login = url.password ? { user: url.username, pass: url.password } : { token: url.username || undefined };
const nc = await connect({ servers: url.host, ...login });
const [js, jsm] = [nc.jetstream(), await nc.jetstreamManager()];
const filter = { durable_name: `${CELL}-${NAME}`, filter_subject: `lantern.${CELL}.*.step.*` };
await jsm.consumers.add("LANTERN", { ...filter, ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.New });
const steps = await (await js.consumers.get("LANTERN", filter.durable_name)).consume();
sayAlive(nc, "ready");
const beating = setInterval(() => sayAlive(nc, "ready"), 1000);
process.once("SIGINT", () => steps.stop());
for await (const message of steps) await answer(js, message);
clearInterval(beating);
sayAlive(nc, "draining");
await nc.drain();

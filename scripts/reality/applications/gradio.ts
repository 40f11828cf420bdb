import type { Application } from "../application.ts";
import { installFromPyPi } from "../packages.ts";
import { startService, until } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const APPLICATION = `
import os, time
import gradio as gr

def brew(tea, minutes):
    if not tea:
        raise gr.Error("which tea?")
    for minute in range(int(minutes)):
        time.sleep(0.2)
        yield f"{tea} after {minute + 1} min"
    with open(os.environ["BREWED"], "a") as file:
        file.write(tea + "\\n")

with gr.Blocks(title="Tea house", analytics_enabled=False) as app:
    tea = gr.Textbox(label="Tea")
    minutes = gr.Number(label="Minutes", value=3)
    cup = gr.Textbox(label="Cup")
    gr.Button("Brew").click(brew, [tea, minutes], cup, concurrency_limit=4)

app.launch(
    server_name="127.0.0.1", server_port=int(os.environ["PORT"]), share=False,
    auth=[(f"${USER}{number}", "${PASSWORD}") for number in (1, 2)],
)
`;

/**
 * A form generated for a function. The function's results arrive as server-sent events from a
 * queue.
 */
export const gradio: Application = {
  name: "gradio",
  title: "Gradio 6.31: forms for functions, results as server-sent events of a queue, FastAPI",
  steps: "log in, run a function that returns several results, run it again, log out",
  user: `${USER}1`,
  install: (folder) => installFromPyPi(folder, ["gradio==6.31.0"]),
  async start({ installed, data, port, origin }) {
    Deno.writeTextFileSync(`${data}/app.py`, APPLICATION);
    Deno.writeTextFileSync(`${data}/brewed`, "");
    const env = {
      PORT: String(port),
      BREWED: `${data}/brewed`,
      GRADIO_ANALYTICS_ENABLED: "False",
      HF_HUB_OFFLINE: "1",
      HOME: data,
      GRADIO_SSR_MODE: "False",
    };
    const server = [`${installed}/venv/bin/python`, "app.py"];
    const { stop } = await startService(server, { cwd: data, env, port });
    await until(async () => (await fetch(`${origin}/`)).ok);
    const counts = () => {
      const brewed = Deno.readTextFileSync(`${data}/brewed`).split("\n").length - 1;
      return Promise.resolve({ teas: brewed });
    };
    return { counts, stop };
  },
  adds: { teas: 2 },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("label:has-text('username') input", `${USER}1`);
    await page.fill("label:has-text('password') input", PASSWORD);
    await page.click("button:has-text('Login')");
    await page.waitForSelector("label:has-text('Tea')");
    for (const tea of ["Assam", "Sencha"]) {
      await page.fill("label:has-text('Tea') textarea", tea);
      await page.waitForTimeout(300);
      await page.click("button:has-text('Brew')");
      // The result is the value of a text area.
      await page.waitForTimeout(2_500);
    }
    await page.goto(`${origin}/logout`);
    await page.waitForTimeout(500);
  },
};

import { Argument, type Command } from "commander";
import type { Does } from "./program.ts";

/** The verbs around a first start: configuration, doctor, service, completion. */
export const addSetup = (program: Command, does: Does): void => {
  for (const add of [addInit, addConfig, addDoctor, addService, addCompletion]) add(program, does);
};

const addInit = (program: Command, does: Does): void => {
  program
    .command("init")
    .description("write a commented first configuration from the agents on this machine")
    .option("--print", "print it instead")
    .action(
      does(async (context, options: { print?: boolean }) =>
        (await import("./verbs/init.ts")).init(context, options),
      ),
    );
};

const addConfig = (program: Command, does: Does): void => {
  const config = program
    .command("config")
    .description("check the configuration, or describe it to an editor");
  config
    .command("check")
    .description("say everything that is wrong with the configuration, or what is in it")
    .action(does(async (context) => (await import("./verbs/config.ts")).configCheck(context)));
  config
    .command("schema")
    .description("print the JSON Schema of harness.toml")
    .action(does(async (context) => (await import("./verbs/config.ts")).printSchema(context)));
};

const addDoctor = (program: Command, does: Does): void => {
  program
    .command("doctor")
    .description(
      "look at everything that a daemon and its runs need, and say what to do where it is not right",
    )
    .action(does(async (context) => (await import("./verbs/doctor.ts")).doctor(context)));
};

const addService = (program: Command, does: Does): void => {
  const service = program
    .command("service")
    .description("let the system start the daemon: a systemd user unit, or a launchd agent");
  service
    .command("install")
    .description("write the service's file and say how to start it")
    .option("--print", "print it instead")
    .action(
      does(async (context, options: { print?: boolean }) =>
        (await import("./verbs/service.ts")).serviceInstall(context, options),
      ),
    );
  service
    .command("uninstall")
    .description("remove the service's file")
    .action(does(async (context) => (await import("./verbs/service.ts")).serviceUninstall(context)));
};

const addCompletion = (program: Command, does: Does): void => {
  program
    .command("completion")
    .description("print the completion script of a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .action(
      does(async (context, shell: "bash" | "zsh" | "fish") =>
        (await import("./completion/verb.ts")).completion(context, shell),
      ),
    );
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action(
      does(async (context, words: string[]) =>
        (await import("./completion/verb.ts")).answerCompletion(context, program, words),
      ),
    );
};

import * as pulumi from "@pulumi/pulumi";
import { runLab } from "./run/run-lab";

/** The program of every stack: reads the configuration, asks AWS what it must know, and builds the stack's lab. */
export = (): Promise<pulumi.Inputs> => runLab(pulumi.runtime.allConfig(), pulumi.getStack());

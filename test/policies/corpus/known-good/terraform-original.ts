// The environment that this project replaces, ported from Terraform without any component, as it was meant. Where its
// modules chose something else, terraform/choices.ts says what.
import { asMeant } from "../terraform/choices";
import { environment } from "../terraform/environment";

environment(asMeant);

import { serve } from "../../engine/crossguard";
import { lab } from "./rules";

serve(lab);

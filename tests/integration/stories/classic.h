! The answers of an older family of parsers than Inform's: short, with exclamation marks, questions in brackets, no word of a score.
Object LibraryMessages with before [;
  Miscellany: switch (lm_n) {
    5: "^Would you like to start over, restore a saved position, or end this session? (Type RESTART, RESTORE, or QUIT.)";
    9: "^It is now pitch black.";
    17: "It's too dark to see a thing!";
    26: print "(Taken) "; rtrue;
    27, 31, 41: "That sentence isn't one I recognize.";
    28: print "That sentence isn't one I recognize. You wanted to "; rtrue;
    30: "You can't see any such thing here!";
    32: "You're not holding that!";
    35: "I don't know the word ~", (address) lm_o, "~.";
    37: "You can't do that to something that isn't alive!";
    38: "There was no verb in that sentence!";
    44: "There's nothing here you can take.";
    46: print "(Which do you mean: "; rtrue;
    48, 49: print "What do you want to "; PrintCommand(); print "?^"; rtrue;
    10: "Pardon me?";
  }
  Take: switch (lm_n) {
    1: "Taken."; 2: "How romantic!"; 3: "It would prefer that you didn't."; 5: "You already have that!"; 6: "You can't take that from there.";
    10, 11: "What a concept!"; 12: "You're holding too many things already!"; 13: "(moving some things to the sack)";
    default: "Not likely.";
  }
  Attack: "A brave, but foolish idea."; Blow: "You're quite a wind instrument yourself."; Burn: "You must be joking.";
  Buy: "It's not for sale."; Climb, JumpOver, JumpOn, JumpIn: "You can't do that."; Jump: "Very good. Now you can go to the second grade.";
  Close: switch (lm_n) { 1: "You must tell me how to do that to ", (a) lm_o, "."; 2: "It is already closed."; 3: "Closed."; }
  Open: switch (lm_n) { 1: "You must tell me how to do that to ", (a) lm_o, "."; 2: "It's locked."; 3: "It is already open.";
    4: print "Opening ", (the) lm_o, " reveals "; if (child(lm_o) == 0) "nothing."; WriteListFrom(child(lm_o), ENGLISH_BIT+CONCEAL_BIT); "."; 5: "Opened."; }
  Unlock: switch (lm_n) { 1: "You can't unlock that!"; 2: "It's not locked."; 3: "That doesn't fit the lock."; default: "The ", (name) lm_o, " is now unlocked."; }
  Lock: if (lm_n < 5) "You can't lock that."; "It's locked.";
  Consult: "You find nothing of interest."; Cut: "You can't cut that."; Dig: "There's no reason to be digging there.";
  Disrobe: if (lm_n == 1) "You're not wearing that."; "You take it off."; Wear: switch (lm_n) { 1: "You can't wear that."; 2, 3: "You already are."; default: "Okay, you're wearing ", (the) lm_o, "."; }
  Drink: "You can't drink that!"; Eat: if (lm_n == 1) "I don't think that would agree with you."; "Thank you. It really hit the spot.";
  Drop: switch (lm_n) { 1, 2: "You're not carrying that."; 3: "Dropped."; }
  Enter: if (lm_n < 5) "You hit your head against it as you attempt this feat."; "You are now in ", (the) lm_o, ".";
  Exit: if (lm_n == 3 or 6) "You are on your own feet again."; "You're already out.";
  Examine: "There's nothing special about ", (the) lm_o, ".";
  Fill: "There's nothing to fill it with."; Give: if (lm_n == 1) "You don't have that!"; "It's politely refused."; Show: "That has no effect.";
  Go: switch (lm_n) { 1: "You'll have to get up first."; 2: "You can't go that way."; 5: "The ", (name) lm_o, " is closed."; default: "You can't."; }
  Insert, PutOn: switch (lm_n) { 7: "Done."; 8: "Done."; 9: "Done."; 2: "You can't do that."; 3: "It's not open."; default: "There's no good surface there."; }
  Inv: switch (lm_n) { 1: "You are empty-handed."; 2: print "You are carrying"; rtrue; 3: print ":^"; rtrue; 4: print ".^"; rtrue; }
  Kiss: "I'd sooner kiss a pig."; Listen: "It makes no sound."; LookUnder: "There is nothing there but dust.";
  Order: "You get no answer."; Answer, Ask, AskFor, Tell: "You get no answer."; Pray: "If you pray enough, your prayers may be answered.";
  Pull, Push, Turn: "That has no effect, as far as you can tell."; PushDir: "You can't move it.";
  Rub, Touch, Squeeze: "Fiddling with that doesn't do anything."; Search: if (lm_n == 4 or 5) "You find nothing unusual."; if (lm_n == 6) "It's empty."; rfalse;
  Score: print "Your score is ", score, " of a possible ", MAX_SCORE, ", in ", turns, " moves.^This makes you a Beginner.^"; rtrue;
  Set, SetTo: "That has no effect."; Sing: "You sing badly."; Sleep: "You're not tired enough."; Smell: "It smells like you would expect.";
  SwitchOn: switch (lm_n) { 1: "You can't turn that on."; 2: "It's already on."; 3: "Okay, it is now on."; }
  SwitchOff: switch (lm_n) { 1: "You can't turn that off."; 2: "It's already off."; 3: "Okay, it is now off."; }
  Swim: "You can't swim here."; Swing: "Wheeee!"; Taste: "It tastes as it looks."; Think: "Go ahead."; ThrowAt: "Thrown away."; Tie: "You can't tie that.";
  Wait: "Time passes..."; Wake, WakeOther: "It's not asleep."; Wave, WaveHands: "Waving has no effect.";
  LMode1: "Brief descriptions.";  LMode2: "Maximum verbosity.";
];

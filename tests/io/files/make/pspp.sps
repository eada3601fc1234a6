GET DATA /TYPE=TXT /FILE='survey.csv' /ENCODING='UTF-8' /ARRANGEMENT=DELIMITED /DELIMITERS=',' /FIRSTCASE=2
  /VARIABLES=name A8 age F3.0 height F6.2 sex F1.0 income F8.0 region A12 visit SDATE10 seentext A19.
NUMERIC stamp (DATETIME20).
IF seentext NE '' stamp = NUMBER(SUBSTR(seentext,1,10),SDATE10) + NUMBER(SUBSTR(seentext,12,8),TIME8).
DELETE VARIABLES seentext.
RENAME VARIABLES (stamp = seen).
VARIABLE LABELS name 'Name of the respondent' age 'Age in years' height 'Height (cm)' sex 'Sex' income 'Monthly income' region 'Région' visit 'Day of the visit' seen 'Moment of the visit'.
VALUE LABELS sex 1 'male' 2 'female' /income -999 'refused' -998 'does not know'.
MISSING VALUES income (-999, -998).
VARIABLE LEVEL age height income (SCALE) sex region (NOMINAL) visit seen (ORDINAL).
VARIABLE WIDTH age (6) height (9).
FILE LABEL 'Survey of Ada and others'.
ADD DOCUMENT 'Names were taken from the register of Ada.'.
SAVE OUTFILE='../pspp.sav' /UNCOMPRESSED.
SAVE OUTFILE='../pspp.zsav' /ZCOMPRESSED.
